//! Parses SteerBench case files.

use std::fmt;
use std::path::{Path, PathBuf};

use bevy::prelude::*;
use bevy_steering2d::{RandomStream, SteeringId};
use roxmltree::{Document, Node};

use crate::{Case, Goal, Shape, Walker};

/// Why a case cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The file, if the case was read from one.
    pub file: Option<PathBuf>,
    /// The line, counted from 1, if known.
    pub line: Option<u32>,
    /// Description of the error.
    pub reason: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}:", file.display())?;
        }
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        let gap = if self.file.is_some() || self.line.is_some() {
            " "
        } else {
            ""
        };
        write!(f, "{gap}{}", self.reason)
    }
}

impl std::error::Error for ReadError {}

/// Reads a case from a file; warnings name unknown elements.
///
/// # Errors
/// When the file cannot be read, is not XML, or lacks a required element.
pub fn read_file(path: &Path) -> Result<(Case, Vec<String>), ReadError> {
    let in_file = |error: ReadError| ReadError {
        file: Some(path.to_owned()),
        ..error
    };
    let bytes = std::fs::read(path).map_err(|error| {
        in_file(ReadError {
            file: None,
            line: None,
            reason: error.to_string(),
        })
    })?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let (case, warnings) = read(&name, &String::from_utf8_lossy(&bytes)).map_err(in_file)?;
    let warnings = warnings
        .into_iter()
        .map(|warning| format!("{}:{warning}", path.display()))
        .collect();
    Ok((case, warnings))
}

/// Reads a case from the text of a file; warnings name each unknown element once, with the line of
/// its first use.
///
/// Random starts are drawn uniformly, one walker after the other. A start that touches an obstacle
/// or an earlier walker is drawn again; after a thousand draws the start with the most clearance is
/// taken. The same text gives the same starts.
///
/// # Errors
/// When the text is not XML or lacks a required element; the error names the line.
pub fn read(name: &str, text: &str) -> Result<(Case, Vec<String>), ReadError> {
    let text = without_late_declaration(text);
    let document = Document::parse(&text).map_err(|error| ReadError {
        file: None,
        line: Some(error.pos().row),
        reason: error.to_string(),
    })?;
    let mut reader = Reader {
        document: &document,
        random: RandomStream::new(0, SteeringId(0), 0x0073_7465_6572),
        unknown: Vec::new(),
    };
    let case = reader.case(name)?;
    let warnings = reader
        .unknown
        .iter()
        .map(|(tag, line)| format!("{line}: <{tag}> is unknown and ignored"))
        .collect();
    Ok((case, warnings))
}

/// Removes an XML declaration that follows a comment: some files have one, which XML forbids. Line
/// numbers stay the same.
fn without_late_declaration(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}');
    match (text.find("<?xml"), text.find("<SteerBench")) {
        (Some(at), Some(root)) if at > 0 && at < root => {
            let end = text[at..].find("?>").map_or(at, |length| at + length + 2);
            format!("{}{}", &text[..at], &text[end..])
        }
        _ => text.to_owned(),
    }
}

struct Reader<'a> {
    document: &'a Document<'a>,
    random: RandomStream,
    unknown: Vec<(String, u32)>,
}

type Element<'a> = Node<'a, 'a>;

impl<'a> Reader<'a> {
    fn case(&mut self, name: &str) -> Result<Case, ReadError> {
        let root = self.document.root_element();
        if root.tag_name().name() != "SteerBenchTestCase" {
            return Err(self.error(
                root,
                format!(
                    "the root is <{}>, not <SteerBenchTestCase>",
                    root.tag_name().name()
                ),
            ));
        }
        let mut case = Case::named(name);
        let mut crowds = Vec::new();
        for element in elements(root) {
            match element.tag_name().name() {
                "header" => {
                    if let Some(bounds) = child(element, "worldBounds") {
                        case.bounds = self.area(bounds)?;
                    }
                }
                "suggestedCameraView" => {}
                "obstacle" => case.obstacles.push(Shape::block(self.area(element)?)),
                "circleObstacle" => case.obstacles.push(Shape::Disc {
                    center: self.point(self.need(element, "position")?)?,
                    radius: self.number(element, "radius")?,
                }),
                "orientedBoxObstacle" => {
                    let center = self.point(self.need(element, "position")?)?;
                    let size = self.point(self.need(element, "size")?)?;
                    // A turn about the axis that points up takes z towards x.
                    let angle = -self.number(element, "thetaY")?.to_radians();
                    case.obstacles
                        .push(Shape::turned_block(center, size, angle));
                }
                "agent" => {
                    self.knows(element, &["name", "initialConditions", "goalSequence"]);
                    crowds.push((1, None, element));
                }
                "agentRegion" => {
                    self.knows(
                        element,
                        &[
                            "numAgents",
                            "regionBounds",
                            "initialConditions",
                            "goalSequence",
                        ],
                    );
                    let count = self.number(element, "numAgents")?;
                    let area = self.area(self.need(element, "regionBounds")?)?;
                    crowds.push((count as usize, Some(area), element));
                }
                _ => self.skip(element),
            }
        }
        // Walkers are placed last: obstacles that they must not touch may follow them in the file.
        for (count, area, element) in crowds {
            for _ in 0..count {
                let walker = self.walker(element, area, &case)?;
                case.walkers.push(walker);
            }
        }
        Ok(case)
    }

    fn walker(
        &mut self,
        element: Element<'a>,
        area: Option<Rect>,
        case: &Case,
    ) -> Result<Walker, ReadError> {
        let start = self.need(element, "initialConditions")?;
        self.knows(
            start,
            &["name", "position", "direction", "radius", "speed", "color"],
        );
        let radius = self.number(start, "radius")?;
        let speed = self.number(start, "speed")?;
        let heading = match child(start, "direction") {
            Some(direction) if !is_random(direction) => self.point(direction)?,
            _ => Vec2::from_angle(self.random.angle()),
        };
        let position = match (area, child(start, "position")) {
            (Some(area), _) => self.free_position(area, radius, case),
            (None, Some(position)) if is_random(position) => {
                self.free_position(case.bounds, radius, case)
            }
            (None, _) => self.point(self.need(start, "position")?)?,
        };
        let mut goals = Vec::new();
        for goal in elements(self.need(element, "goalSequence")?) {
            match goal.tag_name().name() {
                "seekStaticTarget" | "seekAxisAlignedBoxRegion" => {
                    goals.push(self.goal(goal, radius, case)?);
                }
                _ => self.skip(goal),
            }
        }
        if goals.is_empty() {
            return Err(self.error(element, "has no known goal".into()));
        }
        Ok(Walker {
            position,
            heading: heading.normalize_or(Vec2::X),
            speed,
            radius,
            goals,
        })
    }

    fn goal(&mut self, element: Element<'a>, radius: f32, case: &Case) -> Result<Goal, ReadError> {
        // Some of these only concern the suite's own steering: its algorithm, its time limit.
        self.knows(
            element,
            &[
                "targetLocation",
                "desiredSpeed",
                "goalRegionBounds",
                "timeDuration",
                "targetDirection",
                "targetTangent",
                "targetTime",
                "flowType",
                "random",
                "Behaviour",
                "state",
            ],
        );
        let location = child(element, "targetLocation");
        let area = match child(element, "goalRegionBounds") {
            Some(bounds) => Some(self.area(bounds)?),
            None => None,
        };
        let random = is_random(element) || location.is_some_and(is_random);
        let target = match (location, area) {
            _ if random => self.free_position(area.unwrap_or(case.bounds), radius, case),
            (Some(location), _) => self.point(location)?,
            (None, Some(area)) => area.center(),
            (None, None) => self.point(self.need(element, "targetLocation")?)?,
        };
        let pace = self.number(element, "desiredSpeed")?;
        if pace <= 0.0 {
            return Err(self.error(
                element,
                format!("desiredSpeed is {pace} m/s, but must be positive"),
            ));
        }
        Ok(Goal { target, area, pace })
    }

    /// A random position in the area that touches no obstacle and no walker, or else the draw with
    /// the most clearance.
    fn free_position(&mut self, area: Rect, radius: f32, case: &Case) -> Vec2 {
        const DRAWS: usize = 1_000;
        let mut freest = (f32::NEG_INFINITY, area.center());
        for _ in 0..DRAWS {
            let position = self.random.point_in(area);
            let to_obstacles = case
                .obstacles
                .iter()
                .map(|obstacle| obstacle.distance(position) - radius);
            let to_walkers = case
                .walkers
                .iter()
                .map(|other| other.position.distance(position) - radius - other.radius);
            let gap = to_obstacles.chain(to_walkers).fold(f32::INFINITY, f32::min);
            if gap > 0.0 {
                return position;
            }
            if gap > freest.0 {
                freest = (gap, position);
            }
        }
        freest.1
    }

    /// A box in the ground plane: x and z.
    fn area(&self, element: Element<'a>) -> Result<Rect, ReadError> {
        let number = |name| self.number(element, name);
        let corner = Vec2::new(number("xmin")?, number("zmin")?);
        Ok(Rect::from_corners(
            corner,
            Vec2::new(number("xmax")?, number("zmax")?),
        ))
    }

    /// A point in the ground plane: x and z.
    fn point(&self, element: Element<'a>) -> Result<Vec2, ReadError> {
        Ok(Vec2::new(
            self.number(element, "x")?,
            self.number(element, "z")?,
        ))
    }

    fn number(&self, element: Element<'a>, name: &str) -> Result<f32, ReadError> {
        let node = self.need(element, name)?;
        let text = node.text().unwrap_or_default().trim();
        match text.parse::<f32>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(self.error(node, format!("<{name}> is \"{text}\", not a number"))),
        }
    }

    fn need(&self, element: Element<'a>, name: &str) -> Result<Element<'a>, ReadError> {
        child(element, name).ok_or_else(|| {
            let of = element.tag_name().name();
            self.error(element, format!("<{of}> lacks its <{name}>"))
        })
    }

    /// Warns of children with other names.
    fn knows(&mut self, element: Element<'a>, names: &[&str]) {
        for part in elements(element) {
            if !names.contains(&part.tag_name().name()) {
                self.skip(part);
            }
        }
    }

    fn skip(&mut self, element: Element<'a>) {
        let tag = element.tag_name().name();
        if self.unknown.iter().all(|(known, _)| known != tag) {
            self.unknown.push((tag.to_owned(), self.line(element)));
        }
    }

    fn line(&self, element: Element<'a>) -> u32 {
        self.document.text_pos_at(element.range().start).row
    }

    fn error(&self, element: Element<'a>, reason: String) -> ReadError {
        ReadError {
            file: None,
            line: Some(self.line(element)),
            reason,
        }
    }
}

fn elements<'a>(of: Element<'a>) -> impl Iterator<Item = Element<'a>> {
    of.children().filter(Node::is_element)
}

fn child<'a>(of: Element<'a>, name: &str) -> Option<Element<'a>> {
    elements(of).find(|element| element.tag_name().name() == name)
}

fn is_random(element: Element) -> bool {
    child(element, "random").is_some_and(|it| it.text().is_some_and(|text| text.trim() == "true"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = r#"<!-- license -->
<?xml version="1.0"?>
<SteerBenchTestCase xmlns="http://example.org/steerbench">
  <header><version>1.0</version><name>two</name><worldBounds>
    <xmin>-9</xmin><xmax>9</xmax><ymin>0</ymin><ymax>0</ymax><zmin>-5</zmin><zmax>5</zmax>
  </worldBounds></header>
  <agent>
    <name>A</name>
    <initialConditions><radius>0.5</radius>
      <position><x>-8</x><y>0</y><z>1</z></position>
      <direction><x>2</x><y>0</y><z>0</z></direction><speed>0.3</speed>
    </initialConditions>
    <goalSequence>
      <seekStaticTarget><targetLocation><x>8</x><y>0</y><z>2</z></targetLocation>
        <desiredSpeed>1.3</desiredSpeed><timeDuration>1000</timeDuration></seekStaticTarget>
      <seekAxisAlignedBoxRegion><targetLocation><x>0</x><y>0</y><z>0</z></targetLocation>
        <desiredSpeed>1.5</desiredSpeed><goalRegionBounds>
        <xmin>-1</xmin><xmax>1</xmax><ymin>0</ymin><ymax>0</ymax><zmin>-2</zmin><zmax>2</zmax>
        </goalRegionBounds></seekAxisAlignedBoxRegion>
    </goalSequence>
  </agent>
  <agentRegion>
    <numAgents>20</numAgents>
    <regionBounds>
      <xmin>3</xmin><xmax>9</xmax><ymin>0</ymin><ymax>0</ymax><zmin>-5</zmin><zmax>5</zmax>
    </regionBounds>
    <initialConditions><direction><random>true</random></direction><radius>0.4</radius>
      <speed>0</speed></initialConditions>
    <goalSequence>
      <seekStaticTarget><targetLocation><x>-8</x><y>0</y><z>0</z></targetLocation>
        <desiredSpeed>1.3</desiredSpeed></seekStaticTarget>
    </goalSequence>
  </agentRegion>
  <obstacle>
    <xmin>3</xmin><xmax>6</xmax><ymin>0</ymin><ymax>1</ymax><zmin>-5</zmin><zmax>0</zmax>
  </obstacle>
  <circleObstacle><radius>1.5</radius><height>1</height>
    <position><x>0</x><y>0</y><z>3</z></position></circleObstacle>
  <fountain/>
  <fountain/>
</SteerBenchTestCase>"#;

    #[test]
    fn agents_goals_and_obstacles_are_read() {
        let (case, warnings) = read("two", TWO).unwrap();
        assert_eq!(case.bounds, Rect::new(-9.0, -5.0, 9.0, 5.0));
        let first = &case.walkers[0];
        assert_eq!(first.position, Vec2::new(-8.0, 1.0));
        assert_eq!((first.heading, first.speed), (Vec2::X, 0.3));
        assert_eq!(first.goals[0].target, Vec2::new(8.0, 2.0));
        assert_eq!(first.goals[1].area, Some(Rect::new(-1.0, -2.0, 1.0, 2.0)));
        assert_eq!(first.goals[1].pace, 1.5);
        assert_eq!(case.obstacles.len(), 2);
        assert_eq!(warnings, ["39: <fountain> is unknown and ignored"]);
    }

    #[test]
    fn walkers_in_a_region_start_without_contacts() {
        let (case, _) = read("two", TWO).unwrap();
        assert_eq!(case.walkers.len(), 21);
        for (i, walker) in case.walkers.iter().enumerate().skip(1) {
            let place = walker.position;
            assert!(Rect::new(3.0, -5.0, 9.0, 5.0).contains(place));
            assert!(
                case.obstacles
                    .iter()
                    .all(|thing| thing.distance(place) > walker.radius)
            );
            let others = case.walkers[..i].iter();
            let mut gaps = others.map(|it| it.position.distance(place) - it.radius - walker.radius);
            assert!(gaps.all(|gap| gap > 0.0));
        }
        assert_eq!(
            case,
            read("two", TWO).unwrap().0,
            "the same text gives the same starts"
        );
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text: &str| read("x", text).unwrap_err();
        let broken = error("<SteerBenchTestCase>\n<agent>\n</SteerBenchTestCase>");
        assert_eq!(broken.line, Some(3), "{broken}");
        let no_number = error(&TWO.replace("<x>-8</x>", "<x>left</x>"));
        assert_eq!(no_number.to_string(), "10: <x> is \"left\", not a number");
        let lacking = error(&TWO.replace("<radius>1.5</radius>", ""));
        assert!(lacking.reason.contains("lacks its <radius>"), "{lacking}");
        let other = error("<svg/>");
        assert!(other.reason.contains("<svg>"), "{other}");
        let missing = read_file(Path::new("no/such/file.xml")).unwrap_err();
        assert!(
            missing.to_string().starts_with("no/such/file.xml: "),
            "{missing}"
        );
    }
}
