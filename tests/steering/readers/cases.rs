//! Hostile SteerBench cases: limits, and what a message says about them.

use bevy::prelude::*;
use bevy_steering2d_steerbench::{Body, Case, Goal, ReadError, Shape, Walker, read, read_file};

use super::assert_short;
/// A case with all known elements.
pub const YARD: &str = include_str!("case.xml");

const MEBIBYTE: usize = 1 << 20;

/// Reads the case with a change.
fn changed(from: &str, to: &str) -> Result<(Case, Vec<String>), ReadError> {
    assert!(YARD.contains(from), "{from}");
    read("yard", &YARD.replacen(from, to, 1))
}

#[track_caller]
fn assert_refused(from: &str, to: &str, expected: &str) {
    let error = changed(from, to).unwrap_err();
    assert!(error.line.is_some(), "{error}");
    assert_eq!(error.reason, expected);
}

#[test]
fn numbers_out_of_range_are_refused_with_their_range() {
    for (from, to, expected) in [
        (
            "<numAgents>5<",
            "<numAgents>4e9<",
            "<numAgents> is 4e9, but must be 0 to 10000",
        ),
        (
            "<numAgents>5<",
            "<numAgents>20000<",
            "<numAgents> is 20000, but must be 0 to 10000",
        ),
        (
            "<numAgents>5<",
            "<numAgents>-1<",
            "<numAgents> is -1, but must be 0 to 10000",
        ),
        (
            "<radius>0.5<",
            "<radius>-0.5<",
            "<radius> is -0.5, but must be 0.001 to 1000",
        ),
        (
            "<radius>1.5<",
            "<radius>-1.5<",
            "<radius> is -1.5, but must be 0.001 to 1000",
        ),
        (
            "<radius>0.4<",
            "<radius>0<",
            "<radius> is 0, but must be 0.001 to 1000",
        ),
        (
            "<speed>0.3<",
            "<speed>-1<",
            "<speed> is -1, but must be 0 to 100",
        ),
        (
            "<desiredSpeed>1.3<",
            "<desiredSpeed>0<",
            "<desiredSpeed> is 0, but must be 0.001 to 100",
        ),
        (
            "<x>8<",
            "<x>1e9<",
            "<x> is 1e9, but must be -100000 to 100000",
        ),
        (
            "<xmin>3<",
            "<xmin>-1e9<",
            "<xmin> is -1e9, but must be -100000 to 100000",
        ),
        (
            "<size><x>2<",
            "<size><x>-2<",
            "<x> is -2, but must be 0 to 100000",
        ),
        (
            "<thetaY>20<",
            "<thetaY>1e9<",
            "<thetaY> is 1e9, but must be -3600 to 3600",
        ),
        ("<x>8<", "<x>NaN<", "<x> is \"NaN\", not a number"),
        ("<x>8<", "<x>1e39<", "<x> is \"1e39\", not a number"),
    ] {
        assert_refused(from, to, expected);
    }
}

#[test]
fn cases_with_too_many_things_are_refused_at_the_limit() {
    let numbers = "<xmin>0</xmin><xmax>1</xmax><zmin>0</zmin><zmax>1</zmax>";
    let boxes = format!("<obstacle>{numbers}</obstacle>").repeat(499);
    let expected = "501 obstacles are too many; a case has at most 500";
    assert_refused("<obstacle>", &format!("{boxes}<obstacle>"), expected);
    let region = &YARD[YARD.find("<agentRegion>").unwrap()..YARD.find("<obstacle>").unwrap()];
    let crowd = region.replace(">5</numAgents", ">9994</numAgents");
    let expected = "10001 walkers are too many; a case has at most 10000";
    assert_refused("<obstacle>", &format!("{crowd}<obstacle>"), expected);
    let goal = "<seekStaticTarget><targetLocation><x>0</x><z>0</z></targetLocation>\
                <desiredSpeed>1</desiredSpeed></seekStaticTarget>";
    let goals = format!("<goalSequence>{}", goal.repeat(30));
    let crowd = crowd
        .replace("9994", "5000")
        .replace("<goalSequence>", &goals);
    let expected = "155008 goals of walkers are too many; a case has at most 100000";
    assert_refused("<obstacle>", &format!("{crowd}<obstacle>"), expected);
}

#[test]
fn a_crowd_that_does_not_fit_into_its_region_is_refused() {
    let error = changed("<numAgents>5<", "<numAgents>9998<").unwrap_err();
    let expected = "need more than 60000000 steps; have fewer walkers or a larger region";
    assert!(error.reason.ends_with(expected), "{error}");
    assert_eq!(error.line, Some(29));
    // In a region of 1 km², as many walkers find places.
    let roomy = YARD
        .replacen("<numAgents>5<", "<numAgents>9998<", 1)
        .replacen("<xmin>3</xmin><xmax>9<", "<xmin>100</xmin><xmax>1100<", 1)
        .replacen(
            "<zmin>-5</zmin><zmax>5</zmax>\n    </regionBounds>",
            "<zmin>0</zmin><zmax>1000</zmax>\n    </regionBounds>",
            1,
        );
    assert_eq!(read("roomy", &roomy).unwrap().0.walkers.len(), 10_000);
}

#[test]
fn unknown_elements_are_named_up_to_a_limit() {
    let unknown: String = (0..60_000).map(|i| format!("<t{i}/>")).collect();
    let (_, warnings) = changed("<obstacle>", &format!("{unknown}<obstacle>")).unwrap();
    assert_eq!(warnings.len(), 21);
    assert_eq!(warnings[0], "41: <t0> is unknown and ignored");
    assert_eq!(
        warnings[20],
        "41: more unknown elements follow and are ignored"
    );
    let long = format!("<{}/><obstacle>", "t".repeat(MEBIBYTE));
    let (_, warnings) = changed("<obstacle>", &long).unwrap();
    assert!(warnings.iter().all(|warning| warning.len() < 100));
}

#[test]
fn a_case_with_very_many_attributes_or_namespaces_is_refused() {
    for attribute in ["xmlns:a@=\"u\" ", "a@ = '' "] {
        let many: String = (0..60_000)
            .map(|i| attribute.replace('@', &i.to_string()))
            .collect();
        let error = changed("<obstacle>", &format!("<obstacle {many}>")).unwrap_err();
        let expected = "the file has 60002 attributes, but at most 128 are read";
        assert_eq!(error.to_string(), expected);
    }
    let rule = format!("<!-- {} -->", "=".repeat(MEBIBYTE));
    changed("<obstacle>", &format!("{rule}<obstacle>")).unwrap();
}

#[test]
fn a_crowd_is_described_once_however_many_walkers_it_has() {
    let unknown: String = (0..60_000).map(|i| format!("<t{i}/>")).collect();
    let text = YARD
        .replacen("<radius>0.4<", &format!("{unknown}<radius>0.4<"), 1)
        .replacen("<numAgents>5<", "<numAgents>3000<", 1)
        .replacen("<xmin>3</xmin><xmax>9<", "<xmin>100</xmin><xmax>50000<", 1);
    assert_eq!(read("yard", &text).unwrap().0.walkers.len(), 3_002);
}

#[test]
fn files_over_the_size_limit_are_refused_unread() {
    let path = format!("bevy_steering2d-case-{}.xml", std::process::id());
    let path = std::env::temp_dir().join(path);
    std::fs::File::create(&path)
        .unwrap()
        .set_len(1 << 30)
        .unwrap();
    let error = read_file(&path).unwrap_err();
    std::fs::remove_file(&path).unwrap();
    let expected = format!("{}: the file is longer than 8388608 bytes", path.display());
    assert_eq!(error.to_string(), expected);
}

#[test]
fn errors_of_a_case_shorten_long_names_and_numbers() {
    let long = "x".repeat(MEBIBYTE);
    for (from, to) in [
        ("<x>8<", format!("<x>{long}<")),
        ("<x>8<", format!("<x>{}<", "9".repeat(MEBIBYTE))),
        ("<x>8</x>", format!("<{long}>8</x>")),
        ("<x>8</x>", format!("<x>8</{long}>")),
        ("<x>8</x>", format!("<x>&{long};</x>")),
        ("<x>8</x>", format!("<{long}:x>8</{long}:x>")),
    ] {
        let error = changed(from, &to).unwrap_err();
        assert!(error.line.is_some());
        assert_short(&error);
    }
    let root = YARD.replace("SteerBenchTestCase", &long);
    assert_short(&read("root", &root).unwrap_err());
}

#[test]
fn walkers_far_away_are_planned_and_run() {
    for far in [Case::MAX_COORDINATE, 1e9, 3e12] {
        let case = Case::named("far")
            .with_walker(Walker::new(Vec2::new(-far, 0.0)).to(Vec2::new(far, far)))
            .with_obstacle(Shape::block(Rect::new(-1e3, -0.5 * far, 1e3, 0.9 * far)));
        assert_eq!(case.walkers[0].goals[0], Goal::at(Vec2::new(far, far)));
        let mut app = super::case_fuzz::app(Body::PointMass);
        super::case_fuzz::run_a_few_ticks(&mut app, &case, Body::PointMass);
    }
}
